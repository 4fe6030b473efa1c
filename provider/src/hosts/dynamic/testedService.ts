import { namespace } from "../../config/index.js";
import { isObject, parseJson } from "../../json.js";

interface Service {
  readonly baseUrl: string;
  readonly token: string;
}

let tested: Service | undefined;

/** In a test with mocks, no account of the stack configuration reaches its own address. */
export const sendAllTo = (service: Service | undefined): void => void (tested = service);

/** A value of the stack configuration, as the run uses it. */
export const valueForRun = (key: string, text: string | undefined): string | undefined =>
  tested !== undefined && text !== undefined && key === `${namespace}:accounts` ? accountsAt(text, tested) : text;

/** The accounts with the tested service in place of their own address and of a command for their token. */
function accountsAt(text: string, { baseUrl, token }: Service): string {
  const accounts = parseJson(text);
  if (!isObject(accounts)) return text;
  const mocked = Object.entries(accounts).map(([name, account]) => {
    if (!isObject(account)) return [name, account];
    const { baseUrl: own = baseUrl, credentialsCommand, ...members } = account;
    const isThere = own === baseUrl && credentialsCommand === undefined;
    return [name, isThere ? account : { ...members, baseUrl, token }];
  });
  return JSON.stringify(Object.fromEntries(mocked));
}
