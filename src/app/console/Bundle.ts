/** Platform adapter: bundles the scripts and the style of the console from its sources. */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { tokens } from "../../foundation/design/Tokens.ts"

/** The files of the page by name, as text: `console.js`, `console.css`, and the scripts that a screen loads when it is opened. */
export type Assets = Readonly<Record<string, string>>

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
      naming: { chunk: "[name]-[hash].[ext]", entry: "console.[ext]" },
      splitting: true,
      target: "browser",
      throw: false
    })
})

/** Bundles the sources in about 50 ms, beside the other work of the process. */
export const bundle: Effect.Effect<Assets, Unbuilt> = Effect.gen(function* () {
  const { logs, outputs, success } = yield* build
  if (!success) return yield* told(logs.join("\n"))
  const files = yield* Effect.forEach(outputs, (output) =>
    Effect.map(
      Effect.promise(() => output.text()),
      (text) => [output.path.replace(/^.*\//, ""), text] as const
    )
  )
  const assets = Object.fromEntries(files)
  return { ...assets, "console.css": tokens + (assets["console.css"] ?? "") }
})
