import * as Layer from "effect/Layer"
import { LookPause } from "../src/foundation/database/LeaseMonitor.ts"

/** Queues are looked at twenty times a second: work that a test makes due by SQL, which notifies no worker, begins soon. */
export const promptly = Layer.provide(Layer.succeed(LookPause, "50 millis"))
