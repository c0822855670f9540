/** Platform adapter: what this machine audits with, as far as that shows without starting anything (`Bun.resolveSync`). */
import * as FileSystem from "@effect/platform/FileSystem"
import * as Path from "@effect/platform/Path"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Traced from "../../../foundation/schema/Traced.ts"
import { ChromePath } from "../Settings.ts"
import { childFailure, runFailed } from "./AuditRunFailed.ts"

const names = ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome", "chrome", "chrome.exe"]

const places = [
  "/usr/bin/chromium",
  "/usr/bin/google-chrome-stable",
  "/snap/bin/chromium",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
  "C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe"
]

const missing =
  "No Chromium was found: install it (Debian: apt-get install chromium) or name the program in CHROME_PATH."

/** The Chromium of this machine: `CHROME_PATH`, else the usual names on `PATH`, else the usual places. */
export const findChromium = Traced.fn("Audits.findChromium")(function* () {
  const files = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const isFile = (candidate: string) =>
    files.stat(candidate).pipe(
      Effect.map((info) => info.type === "File"),
      Effect.orElseSucceed(() => false)
    )
  const chosen = yield* ChromePath.pipe(Effect.orElseSucceed(Option.none<string>))
  if (Option.isSome(chosen)) {
    if (yield* isFile(chosen.value)) return chosen.value
    return yield* runFailed("browser_missing", "CHROME_PATH does not name a file.")
  }
  const search = yield* Config.string("PATH").pipe(Effect.orElseSucceed(() => ""))
  const directories = search.split(search.includes(";") ? ";" : ":").filter((directory) => path.isAbsolute(directory))
  const candidates = [...names.flatMap((name) => directories.map((directory) => path.join(directory, name))), ...places]
  const found = yield* Effect.findFirst(candidates, isFile)
  if (Option.isSome(found)) return found.value
  return yield* runFailed("browser_missing", missing)
})

const findLighthouse = Effect.try({
  try: () => Bun.resolveSync("lighthouse", import.meta.dir),
  catch: () => childFailure("lighthouse_missing", "")
})

/** Fails with what is missing, in one sentence. */
export const checkEquipment = Effect.asVoid(Effect.zipRight(Effect.suspend(findChromium), findLighthouse))
