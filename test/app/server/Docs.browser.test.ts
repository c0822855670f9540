import { describe, expect } from "bun:test"
import * as Effect from "effect/Effect"
import { chromium, type Tab, tab } from "../../browser.ts"
import { suite } from "../../harness.ts"
import * as Server from "../../server.ts"

if (chromium === null)
  console.warn("NOTICE: no Chromium on this machine, the pages of the documentation are not looked at")

const it = suite(Server.layer, { timeout: 240_000 })

const shown = "document.readyState === 'complete' && document.querySelector('h1') !== null"

const resize = ({ send }: Tab, width: number) =>
  send("Emulation.setDeviceMetricsOverride", { deviceScaleFactor: 1, height: 900, mobile: width < 500, width })

/** Opens a page in a window of a width and a colour scheme. */
const open = async (page: Tab, url: string, width: number, scheme: "dark" | "light") => {
  const { send, until } = page
  await resize(page, width)
  await send("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value: scheme }] })
  await send("Page.navigate", { url: "about:blank" })
  await send("Page.navigate", { url })
  await until(`location.origin === ${JSON.stringify(new URL(url).origin)} && ${shown}`)
}

/** Whether the page fits its window, is dark, and declares its language. */
const look = `(() => {
  const [red] = (getComputedStyle(document.body).backgroundColor.match(/\\d+/g) ?? []).map(Number)
  const { clientWidth, lang, scrollWidth } = document.documentElement
  return { dark: red < 128, fits: scrollWidth <= clientWidth, lang }
})()`

const button = (text: string) =>
  `[...document.querySelectorAll("button")].find((one) => /${text}/.test(one.textContent))`

describe.skipIf(chromium === null)("the documentation in a browser", () => {
  it("fits wide and narrow windows, follows the dark scheme, sends a request by keyboard, and contacts this server only", function* () {
    const { base } = yield* Server.TestServer
    const { key } = yield* Server.customer("starter")
    const page = yield* tab(chromium ?? "")
    yield* Effect.promise(async () => {
      const { complaints, evaluate, press, requested, type, until } = page
      await open(page, `${base}/docs/guides/rankings`, 1200, "light")
      expect(await evaluate(look)).toEqual({ dark: false, fits: true, lang: "en" })
      await open(page, `${base}/docs/guides/rankings`, 400, "dark")
      expect(await evaluate(look)).toEqual({ dark: true, fits: true, lang: "en" })
      await press("Tab", 9)
      expect(await evaluate("document.activeElement.textContent")).toBe("Skip to the text")

      await open(page, `${base}/docs#tag/keys-and-server`, 1200, "dark")
      expect(await evaluate(look)).toEqual({ dark: true, fits: true, lang: "en" })
      await resize(page, 400)
      expect(await evaluate(look)).toEqual({ dark: true, fits: true, lang: "en" })

      await evaluate("document.querySelector('input[placeholder=Token]').focus()")
      await type(key)
      const attempt = button("Test Request.*get .api.v1.key")
      await until(`${attempt} !== undefined`)
      await evaluate(`${attempt}.focus()`)
      await press("Enter", 13)
      const send = button("Send get request to .*api.v1.key")
      await until(`${send}?.checkVisibility() === true`)
      await evaluate(`${send}.focus()`)
      await press("Enter", 13)
      await until("/200 OK/.test(document.querySelector('[role=dialog]').textContent)")
      expect(await evaluate("document.querySelector('[role=dialog]').textContent")).toContain('"plan": "starter"')
      expect(complaints).toEqual([])
      expect([...new Set(requested.filter((url) => /^http/.test(url)).map((url) => new URL(url).origin))]).toEqual([
        base
      ])
    })
  })
})
