import { CheckResponse, ConfigureResponse } from "@pulumi/pulumi/proto/provider_pb.js";
import type { Settings } from "../../config/index.js";
import { failureOf, type Calls } from "./calls.js";
import { diffResponse } from "./previews.js";
import {
  alwaysSecret,
  configChanged,
  configProblems,
  isDefaultProvider,
  nameProblems,
  settingsOf,
  type Environment,
} from "./providerConfig.js";
import { read, write } from "./wire.js";

/**
 * The calls about the provider itself. `configured` receives the provider's name and the settings for all later calls.
 * `stackConfig`: the stack's configuration for this package, if the engine passed it.
 */
export function configCalls(
  configured: (settings: Settings, name: string) => void,
  environment: Environment = process.env,
  stackConfig?: unknown,
): Pick<Calls, "checkConfig" | "diffConfig" | "configure"> {
  return {
    checkConfig: (request) => {
      const { values, secrets, problems } = read(request.getNews());
      const name = request.getName();
      const found = [
        ...problems,
        ...nameProblems(name, values, stackConfig),
        ...configProblems(values, isDefaultProvider(name), environment),
      ];
      return new CheckResponse()
        .setInputs(write(values, [...secrets, ...alwaysSecret]))
        .setFailuresList(found.map(failureOf));
    },
    diffConfig: (request) => {
      return diffResponse(configChanged(read(request.getOldInputs()).values, read(request.getNews()).values));
    },
    configure: (request) => {
      const name = request.getName() ?? "default";
      configured(settingsOf(read(request.getArgs()).values, isDefaultProvider(name), environment), name);
      return new ConfigureResponse().setAcceptsecrets(true).setSupportspreview(true);
    },
  };
}
