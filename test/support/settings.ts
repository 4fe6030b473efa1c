import { Settings, SettingsError } from "../../provider/src/config/index.js";

/** Settings from a stack's configuration (keys without the namespace) and an environment. */
export function settings(config: Record<string, string> = {}, environment: Record<string, string> = {}): Settings {
  return new Settings({ get: (key) => config[key.replace("data-connectivity:", "")] }, environment);
}

/** The message for a setting that is refused. */
export function failing(read: () => unknown): string {
  try {
    read();
  } catch (error) {
    if (error instanceof SettingsError) return error.message;
    throw error;
  }
  return "";
}

/** The settings that every request needs. */
export const base = { baseUrl: "https://jobs.example.com", token: "t" };
