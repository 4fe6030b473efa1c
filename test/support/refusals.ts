/** Each refusal begins with its resource's label. The gRPC status of a provider process does not tell errors apart. */
const refusal = /^(CachingJob|ScheduledQueryJob)( ".*")?: /;

/** The text of a refusal. Any other error is a bug in this package, and fails the test. */
export function refusalText(message: string): string {
  if (refusal.test(message)) return message;
  throw new Error(`This is neither a refusal nor an unconfirmed create: ${message}`);
}

/** `refusalText` for an error that rejected a call. */
export const rejectionText = (error: unknown): string =>
  refusalText(error instanceof Error ? error.message : String(error));
