// For a provider's process: its wall clock steps back by a quarter of an hour ten times a second.
const { now } = Date;
Date.now = () => now() - Math.floor(performance.now() / 100) * 900_000;
