// Prints a short-lived token of the service, in exchange for the pipeline's own identity. Here it comes from Vault: put
// your own secret store in its place. Whatever it does, a token and nothing else goes to stdout.
const { VAULT_ADDR, VAULT_ID_TOKEN, ACTIONS_ID_TOKEN_REQUEST_URL, ACTIONS_ID_TOKEN_REQUEST_TOKEN } = process.env;

// GitLab hands the identity over in the environment, GitHub on request.
const identity = VAULT_ID_TOKEN ?? (await identityFromGitHub());
const { auth } = await json(`${VAULT_ADDR}/v1/auth/jwt/login`, {
  method: "POST",
  body: JSON.stringify({ role: "data-connectivity", jwt: identity }),
});
const { data } = await json(`${VAULT_ADDR}/v1/data-connectivity/token`, {
  headers: { "X-Vault-Token": auth.client_token },
});
process.stdout.write(data.token);

async function identityFromGitHub() {
  const { value } = await json(`${ACTIONS_ID_TOKEN_REQUEST_URL}&audience=data-connectivity`, {
    headers: { Authorization: `Bearer ${ACTIONS_ID_TOKEN_REQUEST_TOKEN}` },
  });
  return value;
}

async function json(url, request) {
  const response = await fetch(url, request);
  if (!response.ok) throw new Error(`${new URL(url).pathname} answered HTTP ${response.status}.`);
  return response.json();
}
