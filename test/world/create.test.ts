import { testWorld } from "../support/world/testWorld.js";

testWorld("create", 100, ["created", "same", "failed", "recorded", "read"]);
