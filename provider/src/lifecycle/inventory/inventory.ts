import { alone } from "../../client/claims.js";
import type { Service } from "../../client/service.js";
import { Holders } from "./holders.js";
import { ServiceJobs } from "./serviceJobs.js";
import { UnderWay } from "./underWay.js";

/** What one run knows of the jobs of an account. */
export interface Inventory {
  readonly jobs: ServiceJobs;
  readonly holders: Holders;
  readonly underWay: UnderWay;
}

const inventories = new WeakMap<Service, Inventory>();

/** The inventory of an account: a service object lives for one run. */
export function inventoryOf(service: Service): Inventory {
  let inventory = inventories.get(service);
  if (inventory === undefined) {
    const { account, options } = service;
    const claims = options.claims ?? alone;
    inventory = {
      jobs: new ServiceJobs(service),
      holders: new Holders(claims, account.baseUrl),
      underWay: new UnderWay(claims, account),
    };
    inventories.set(service, inventory);
  }
  return inventory;
}
