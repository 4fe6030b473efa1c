import { testSameTwice } from "../support/world/testWorld.js";

testSameTwice(25);
