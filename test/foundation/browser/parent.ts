import * as BunContext from "@effect/platform-bun/BunContext"
import * as BunRuntime from "@effect/platform-bun/BunRuntime"
import * as Effect from "effect/Effect"
import { startBrowser } from "../../../src/foundation/browser/Browser.ts"

/** Starts a browser, says its process and waits to be killed. */
const program = Effect.gen(function* () {
  const { pid } = yield* startBrowser({ bounds: { all: 4e9, each: 2e9 }, unsandboxed: false })
  process.stdout.write(`${pid}\n`)
  return yield* Effect.never
})

BunRuntime.runMain(Effect.provide(Effect.scoped(program), BunContext.layer))
