import * as Config from "effect/Config"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { findBrowser } from "./Find.ts"

/** Whether crawls render pages in a browser of this machine: `auto` in its sandbox, `off` never, `unsandboxed` without a sandbox. */
export const Rendering = Config.literal(
  "auto",
  "off",
  "unsandboxed"
)("FINDABLE_RENDER").pipe(
  Config.withDefault("auto" as const),
  Config.withDescription(
    "Whether crawls may render JavaScript in a browser of this machine: `auto`, `off`, or `unsandboxed`, which turns off the browser's sandbox"
  )
)

/** The administrator has turned rendering off. */
export class RenderingOff extends Data.TaggedError("RenderingOff")<{ readonly message: string }> {}

/** The path of the browser for crawls of this process, or the reason for none. The browser may still fail to start. */
export const findRenderer = Effect.gen(function* () {
  if ((yield* Effect.orDie(Rendering)) === "off")
    return yield* new RenderingOff({ message: "FINDABLE_RENDER is off. Set it to auto to render." })
  return yield* findBrowser("rendering")
})
