/** What to do about a status, or about no answer at all: the sentence after what happened. */
export function remedyFor(status: number | undefined): string {
  if (status === undefined)
    return "Check the address (data-connectivity:baseUrl), the network and the proxy settings, then run pulumi up again.";
  if (status < 300) return "Check data-connectivity:baseUrl: it ends where /api begins.";
  if (status >= 300 && status < 400) return "Set data-connectivity:baseUrl to the address that the service really has.";
  switch (status) {
    case 401:
      return "Give a valid token (DATA_CONNECTIVITY_TOKEN, or data-connectivity:credentialsCommand), then run pulumi up again.";
    case 403:
      return "Use a token that has the right to do this.";
    case 404:
    case 405:
      return "Check data-connectivity:baseUrl: it ends where /api begins.";
    case 409:
      return "The service may have an equal job already: take it over with existingJobId.";
    case 429:
      return "Run pulumi up again later, or set data-connectivity:timeoutSeconds higher.";
    default:
      return status >= 400 && status < 500
        ? "Change the declaration as the service asks, then run pulumi up again."
        : "Run pulumi up again when the service is well.";
  }
}
