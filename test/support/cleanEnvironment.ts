const proxies = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"];

/** An environment without anything that would change a provider's requests: each test sets what it needs. */
export function cleanEnvironment(): NodeJS.ProcessEnv {
  const settings = Object.keys(process.env).filter((name) => name.startsWith("DATA_CONNECTIVITY_"));
  const names = [...settings, ...proxies, ...proxies.map((name) => name.toLowerCase())];
  return Object.fromEntries(names.map((name) => [name, undefined]));
}
