/** A whole node and its parts: provide `Database`, then run the server, the workers or single services in your own process. */

/** The contract, also as `findable/api`. */
export { Api } from "./Api.ts"
export * as Node from "./app/node/Node.ts"
export * as Workers from "./app/node/Workers.ts"
export * as Server from "./app/server/Server.ts"
/** Use cases; each has a `Default` layer that needs the database. */
export { Accounts } from "./features/accounts/Accounts.ts"
export { Auditor } from "./features/audits/Auditor.ts"
export { Audits } from "./features/audits/Audits.ts"
export { Events } from "./features/events/Events.ts"
export { Experiments } from "./features/experiments/Experiments.ts"
export { GrowthProjects } from "./features/experiments/GrowthProjects.ts"
export { Projects } from "./features/projects/Projects.ts"
export { Runs } from "./features/sitehealth/Runs.ts"
export { Start } from "./features/sitehealth/Start.ts"
export * as Database from "./foundation/database/Database.ts"
export * as Location from "./foundation/database/Location.ts"
export { ApiError } from "./foundation/http/ApiError.ts"
/** The guarded HTTP client of all outbound requests. */
export * as Guarded from "./foundation/outbound/Guarded.ts"
export { Outbound } from "./foundation/outbound/Outbound.ts"
