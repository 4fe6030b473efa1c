import { testWorld } from "../support/world/testWorld.js";

testWorld("all", 40, ["created", "same", "updated", "deleted", "failed", "recorded", "read"]);
