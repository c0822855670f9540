import * as BunRuntime from "@effect/platform-bun/BunRuntime"
import * as Layer from "effect/Layer"
import * as Node from "./Node.ts"
import { run } from "./Operator.ts"

run(Layer.launch(Node.layer), BunRuntime.runMain)
