import { testWorld } from "../support/world/testWorld.js";

testWorld("create", 40, ["created", "same", "failed", "recorded", "read"]);
