/** Each refusal begins with its resource's label. The gRPC status of a provider process does not distinguish errors. */
const refusal = /^(CachingJob|ScheduledQueryJob)( ".*")?: /;

/** The text of a refusal that rejected a call. Any other error is a bug in this package, and fails the test. */
export function rejectionText(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  if (refusal.test(message)) return message;
  throw new Error(`This is neither a refusal nor an unconfirmed create: ${message}`);
}
