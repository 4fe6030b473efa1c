import type { Claims } from "../../../provider/src/client/service.js";
import { RunClaims } from "../../../provider/src/hosts/claims/claims.js";
import type { Entry, OpenLog } from "../../../provider/src/hosts/claims/runLog.js";

/** Claims for the providers of one run in this process, shared without a file. */
export function sharedClaims(): () => Claims {
  const entries: Entry[] = [];
  let providers = 0;
  const open: OpenLog = (onEntry) => {
    const process = `p${(providers += 1)}`;
    let read = 0;
    const unwritten: Entry[] = [];
    return {
      process,
      append: (act, what, holder) => void unwritten.push({ process, act, what, holder }),
      sync: () => {
        entries.push(...unwritten.splice(0));
        const news = entries.slice(read);
        read = entries.length;
        news.forEach(onEntry);
      },
    };
  };
  const onProblem = (text: string): never => {
    throw new Error(text);
  };
  return () => new RunClaims(onProblem, open);
}
