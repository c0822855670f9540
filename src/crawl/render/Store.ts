import * as FileSystem from "@effect/platform/FileSystem"
import * as Path from "@effect/platform/Path"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Scope from "effect/Scope"
import { temporaryFolder } from "../../foundation/browser/Folders.ts"
import { type Renderer, StoreFailed } from "./Rendering.ts"

/** Most bytes in the files of one crawl. */
const room = 256_000_000

/** Stores bodies in files of a temporary folder, which the first one makes and the end of the scope removes. */
export const make = Effect.gen(function* () {
  const files = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const scope = yield* Effect.scope
  const folder = yield* Effect.cached(
    Scope.extend(Effect.provideService(temporaryFolder("crawl"), FileSystem.FileSystem, files), scope)
  )
  let count = 0
  let stored = 0
  const write = Effect.fnUntraced(function* (body: Uint8Array) {
    count += 1
    stored += body.length
    const file = path.join(yield* folder, String(count))
    yield* files.writeFile(file, body)
    return Effect.mapError(files.readFile(file), () => new StoreFailed())
  })
  const store: (typeof Renderer.Service)["store"] = (body) =>
    Effect.suspend(() => (stored + body.length > room ? Effect.succeed(Option.none()) : Effect.option(write(body))))
  return store
})
