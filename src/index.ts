/** A whole node, and its parts: provide `Database`, then run the server, the workers, or single services in a process of your own. */

/** The contract, also as `findable/api`. */
export { Api } from "./Api.ts"
/** Use cases; each has a `Default` layer that needs the database. */
export { Accounts } from "./accounts/Accounts.ts"
export { Auditor } from "./audits/Auditor.ts"
export { Audits } from "./audits/Audits.ts"
export * as Database from "./database/Database.ts"
export * as Location from "./database/Location.ts"
export { Experiments } from "./experiments/Experiments.ts"
export { GrowthProjects } from "./experiments/GrowthProjects.ts"
/** The guarded HTTP client under everything that asks others. */
export * as Guarded from "./Guarded.ts"
export { ApiError } from "./http/Failure.ts"
export * as Server from "./http/Server.ts"
export * as Node from "./Node.ts"
export { Outbound } from "./outbound/Outbound.ts"
export { Projects } from "./projects/Projects.ts"
export { Runs } from "./sitehealth/Runs.ts"
export { Start } from "./sitehealth/Start.ts"
export * as Workers from "./Workers.ts"
export { Events } from "./webhooks/Events.ts"
