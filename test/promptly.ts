import * as Layer from "effect/Layer"
import { LookTimes } from "../src/foundation/database/LeaseMonitor.ts"

/**
 * Queues are looked at twenty times a second, from the start for dead workers too: work that a test makes due by SQL, which notifies no worker, begins soon.
 * The pauses of a node are tested with leased work.
 */
export const promptly = Layer.provide(Layer.succeed(LookTimes, { acquainted: 0, every: "50 millis" }))
