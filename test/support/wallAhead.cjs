// For the Node processes of a run: their wall clock is ahead of the machine's.
const { now } = Date;
const aheadMs = Number(process.env.TEST_WALL_AHEAD_MS);
Date.now = () => now() + aheadMs;
