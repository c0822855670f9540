import * as Command from "@effect/platform/Command"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Path from "@effect/platform/Path"
import * as Config from "effect/Config"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"

/** The browser of this machine. Default: the usual names. */
export const ChromePath = Config.option(Config.nonEmptyString("CHROME_PATH")).pipe(
  Config.withDescription(
    "Path of the Chromium or Chrome for audits and rendering. Default: Findable searches the usual places"
  )
)

/** No browser was found; the message names a package to install. */
export class BrowserMissing extends Data.TaggedError("BrowserMissing")<{
  readonly code: "no_browser" | "wrong_path"
  readonly message: string
}> {}

/** A browser without a window: a quarter of the CPU and half of the memory of a whole one. */
const shell = {
  names: ["chromium-headless-shell", "chrome-headless-shell", "chrome-headless-shell.exe"],
  places: ["/usr/bin/chromium-headless-shell"]
}

const whole = {
  names: ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome", "chrome", "chrome.exe"],
  places: [
    "/usr/bin/chromium",
    "/usr/bin/google-chrome-stable",
    "/snap/bin/chromium",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe"
  ]
}

/** The purpose of a browser: audits measure paints, which need a whole one. */
export type Purpose = "audits" | "rendering"

const kinds = { audits: [whole], rendering: [shell, whole] } as const

const missing = {
  audits: "No Chromium found. Install it (Debian: apt-get install chromium), or set CHROME_PATH to the program.",
  rendering:
    "No browser found. Install one (Debian: apt-get install chromium-headless-shell), or set CHROME_PATH to the program."
} as const

/** The program of a browser: `CHROME_PATH`, else the usual names on `PATH`, else the usual places. */
export const findBrowser = Effect.fn("Browser.find")(function* (purpose: Purpose) {
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
    return yield* new BrowserMissing({ code: "wrong_path", message: "CHROME_PATH is not the path of a file." })
  }
  const search = yield* Config.string("PATH").pipe(Effect.orElseSucceed(() => ""))
  const directories = search.split(search.includes(";") ? ";" : ":").filter((directory) => path.isAbsolute(directory))
  const candidates = kinds[purpose].flatMap(({ names, places }) => [
    ...names.flatMap((name) => directories.map((directory) => path.join(directory, name))),
    ...places
  ])
  const found = yield* Effect.findFirst(candidates, isFile)
  if (Option.isSome(found)) return found.value
  return yield* new BrowserMissing({ code: "no_browser", message: missing[purpose] })
})

/** Programs for Windows open a window instead of printing their version. */
const isPrinting = (browser: string) => !browser.endsWith(".exe")

/** The name and version that a browser prints, such as `Chromium 156.0.8078.108`; null when it prints none. */
export const versionOf = (browser: string) =>
  isPrinting(browser)
    ? Command.string(Command.make(browser, "--version")).pipe(
        Effect.timeout("10 seconds"),
        Effect.map((text) => /^\s*(\D{1,50}\d{1,6}(?:\.\d{1,6}){1,4})/.exec(text)?.[1] ?? null),
        Effect.orElseSucceed(() => null)
      )
    : Effect.succeed(null)
