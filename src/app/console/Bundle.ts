/** Platform adapter: bundles the script and the style of the console from its sources. */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { tokens } from "../../foundation/design/Tokens.ts"

/** Script and style of the page, as text. */
export interface Assets {
  readonly script: string
  readonly style: string
}

/** The bundler failed; `message` has its errors. */
export class Unbuilt extends Data.TaggedError("Unbuilt")<{ readonly message: string }> {}

const source = (name: string) => Bun.fileURLToPath(new URL(`browser/${name}`, import.meta.url))

const told = (error: unknown) => new Unbuilt({ message: String(error) })

const build = Effect.tryPromise({
  catch: told,
  try: () =>
    Bun.build({
      define: { "process.env.NODE_ENV": '"production"' },
      entrypoints: [source("main.tsx"), source("console.css")],
      format: "esm",
      jsx: { development: false, importSource: "preact", runtime: "automatic" },
      minify: true,
      target: "browser",
      throw: false
    })
})

/** Bundles the sources in about 50 ms, beside the other work of the process. */
export const bundle: Effect.Effect<Assets, Unbuilt> = Effect.gen(function* () {
  const { logs, outputs, success } = yield* build
  const [script, style] = [".js", ".css"].map((end) => outputs.find(({ path }) => path.endsWith(end)))
  if (!success || script === undefined || style === undefined) return yield* told(logs.join("\n"))
  const [code, rules] = yield* Effect.promise(() => Promise.all([script.text(), style.text()]))
  return { script: code, style: tokens + rules }
})
