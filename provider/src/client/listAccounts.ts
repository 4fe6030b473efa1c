import type { Service } from "./service.js";
import { stringsOf, wholeList, type WholeList } from "./wholeList.js";

/** An account below the one that signs the tokens, as the service lists it. */
export interface ListedAccount {
  /** The account's id at the service: the `sub` of a token for it. */
  readonly id: string;
  /** The id that you gave the account; absent where the service did not tell it. */
  readonly externalId: string | undefined;
  /** When it was created, as the service wrote it; absent where the service did not tell it. */
  readonly created: string | undefined;
}

/** Asks for all accounts below the token's issuer. The vendor publishes this request; the interface document does not have it. */
export const listAccounts = (service: Service): Promise<WholeList<ListedAccount>> =>
  wholeList(service, "/api/poweredby/account/list", "accounts", readAccount);

function readAccount(raw: unknown, token: string): ListedAccount | undefined {
  const { id, externalId, created } = stringsOf(raw, token);
  return id === undefined || id.trim() === "" ? undefined : { id, externalId, created };
}
