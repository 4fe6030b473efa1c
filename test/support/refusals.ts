/** How each refusal begins: with its resource. The gRPC status of the provider process tells nothing else about an error. */
const refusal = /^(CachingJob|ScheduledQueryJob)( ".*")?: /;

/** The text of a refusal. Any other error is no outcome but a mistake in this package, and fails the test. */
export function refusalText(message: string): string {
  if (refusal.test(message)) return message;
  throw new Error(`This is neither a refusal nor an unconfirmed create: ${message}`);
}

/** The same of an error with which a call was rejected. */
export const rejectionText = (error: unknown): string =>
  refusalText(error instanceof Error ? error.message : String(error));
