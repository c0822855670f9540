import * as BunRuntime from "@effect/platform-bun/BunRuntime"
import { launch } from "./app/node/Node.ts"
import { serve } from "./app/node/Run.ts"

serve(launch, BunRuntime.runMain)
