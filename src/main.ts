import * as BunRuntime from "@effect/platform-bun/BunRuntime"
import * as Layer from "effect/Layer"
import * as Node from "./node/Node.ts"
import { run } from "./node/Run.ts"

run(Layer.launch(Node.layer), BunRuntime.runMain)
