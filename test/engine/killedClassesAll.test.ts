import { describeWithEngine } from "../support/describeWithEngine.js";
import { killAtEachMoment } from "../support/killed/matrix.js";

describeWithEngine("A run is killed in mode all: classes", () => {
  killAtEachMoment("classes", "all");
});
