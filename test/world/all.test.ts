import { testWorld } from "../support/world/testWorld.js";

testWorld("all", 100, ["created", "same", "updated", "deleted", "failed", "recorded", "read"]);
