import { describeWithEngine } from "../support/describeWithEngine.js";
import { playOnEngine } from "./playOnEngine.js";
import { storiesOfDoubts } from "./stories.js";

describeWithEngine("On a real engine", () => {
  playOnEngine(storiesOfDoubts);
});
