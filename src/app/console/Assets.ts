/** Platform adapter: script and style of the console, as the package has them, or bundled of the sources of a checkout. */
import * as Cache from "effect/Cache"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { Assets, Unbuilt } from "./Bundle.ts"

/** The files of the package, made by its build. */
export const files = { script: "assets/console.js", style: "assets/console.css" } as const

const fileOf = (name: keyof typeof files) => Bun.file(new URL(files[name], import.meta.url))

const read = Effect.promise(() => Promise.all([fileOf("script").text(), fileOf("style").text()])).pipe(
  Effect.map(([script, style]): Assets => ({ script, style }))
)

const bundled = Effect.flatMap(
  Effect.promise(() => import("./Bundle.ts")),
  ({ bundle }) => bundle
)

/** What the page loads: the files of the package, or where these are missing what the bundler makes. */
export const live: Effect.Effect<Assets, Unbuilt> = Effect.flatMap(
  Effect.promise(() => fileOf("script").exists()),
  (isBuilt) => (isBuilt ? read : bundled)
)

/**
 * The same made once, however many callers ask for it at a time, and kept for good; what fails is tried again after some seconds, not at each request. A
 * caller that goes away ends nothing that others wait for.
 */
export const once = (make: Effect.Effect<Assets, Unbuilt>) =>
  Effect.map(
    Cache.makeWith({
      capacity: 1,
      lookup: () =>
        Effect.tapError(make, ({ message }) => Effect.logError(`The console could not be built: ${message}`)),
      timeToLive: Exit.match({ onFailure: () => "5 seconds", onSuccess: () => "1000 weeks" })
    }),
    (cache) => Effect.uninterruptible(cache.get("assets"))
  )
