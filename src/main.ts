import * as BunRuntime from "@effect/platform-bun/BunRuntime"
import * as Layer from "effect/Layer"
import * as Node from "./node/Node.ts"
import { serve } from "./node/Run.ts"

serve(Layer.launch(Node.layer), BunRuntime.runMain)
