import { describeWithEngine } from "../support/describeWithEngine.js";
import { playOnEngine } from "./playOnEngine.js";
import { storiesOfKnownJobs } from "./storiesOfKnownJobs.js";

describeWithEngine("On a real engine", () => {
  playOnEngine(storiesOfKnownJobs);
});
