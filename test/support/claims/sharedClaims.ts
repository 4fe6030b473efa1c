import type { Claims } from "../../../provider/src/client/service.js";
import { RunClaims } from "../../../provider/src/hosts/claims/claims.js";
import type { Entry, OpenLog } from "../../../provider/src/hosts/claims/runLog.js";

/** Claims for the providers of one run in this process, shared without a file. */
export function sharedClaims(): () => Claims {
  const entries: Entry[] = [];
  const open: OpenLog = () => {
    let read = 0;
    return (own) => {
      entries.push(...own);
      const news = entries.slice(read);
      read = entries.length;
      return news;
    };
  };
  const onProblem = (text: string): never => {
    throw new Error(text);
  };
  return () => new RunClaims(onProblem, open);
}
