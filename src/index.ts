/** A whole node, and its parts: provide `Database`, then run the server, the workers, or single services in a process of your own. */

/** The contract, also as `findable/api`. */
export { Api } from "./Api.ts"
/** Use cases; each has a `Default` layer that needs the database. */
export { Accounts } from "./accounts/Accounts.ts"
export { Auditor } from "./audits/Auditor.ts"
export { Audits } from "./audits/Audits.ts"
export * as Database from "./database/Database.ts"
export * as Location from "./database/Location.ts"
export { Events } from "./events/Events.ts"
export { Experiments } from "./experiments/Experiments.ts"
export { GrowthProjects } from "./experiments/GrowthProjects.ts"
export { ApiError } from "./http/Failure.ts"
export * as Node from "./node/Node.ts"
export * as Workers from "./node/Workers.ts"
/** The guarded HTTP client under everything that asks others. */
export * as Guarded from "./outbound/Guarded.ts"
export { Outbound } from "./outbound/Outbound.ts"
export { Projects } from "./projects/Projects.ts"
export * as Server from "./server/Server.ts"
export { Runs } from "./sitehealth/Runs.ts"
export { Start } from "./sitehealth/Start.ts"
