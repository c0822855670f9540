import * as BunRuntime from "@effect/platform-bun/BunRuntime"
import * as Layer from "effect/Layer"
import * as Node from "./Node.ts"

Node.layer.pipe(Layer.launch, Node.reported, BunRuntime.runMain)
