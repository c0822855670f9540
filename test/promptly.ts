import * as Layer from "effect/Layer"
import { LookTimes } from "../src/foundation/database/LeaseMonitor.ts"

/**
 * Queues are checked twenty times a second, and for dead workers from the start: work that a test makes due by SQL, which notifies no worker, begins soon.
 * The intervals that a server uses in production are tested with queued work.
 */
export const promptly = Layer.provide(Layer.succeed(LookTimes, { acquainted: 0, every: "50 millis" }))
