import * as BunRuntime from "@effect/platform-bun/BunRuntime"
import * as Layer from "effect/Layer"
import * as Node from "./app/node/Node.ts"
import { serve } from "./app/node/Run.ts"

serve(Layer.launch(Node.layer), BunRuntime.runMain)
