import * as Effect from "effect/Effect"
import { shuffled } from "../crawl/generator/shuffled.ts"
import { browser } from "../crawl/render/oracle.ts"
import { shuffledRendering } from "../crawl/render/shuffled.ts"

// `bun run campaign shuffled [runs] [rendered]`: many crawls of one site whose responses arrive in different orders give one result, and so do crawls of a site whose pages are written by scripts (a tenth as many).

const times = Number(process.argv[2] ?? 100)
const renderedTimes = Number(process.argv[3] ?? Math.ceil(times / 10))

const plain = async () => {
  const { orders, pages, results } = await Effect.runPromise(shuffled(times))
  console.log(`${times} runs over ${pages} pages heard the answers in ${orders} orders and had ${results} result(s)`)
  return results <= 1 && orders === times
}

const rendering = async () => {
  if (browser === null) {
    console.log(
      "SKIPPED: rendered crawls, since there is no browser here (Debian: apt-get install chromium-headless-shell)"
    )
    return true
  }
  const { orders, rendered, texts } = await Effect.runPromise(shuffledRendering(renderedTimes))
  console.log(
    `${renderedTimes} runs that rendered ${rendered} pages asked in ${orders} orders and had ${texts.length} result(s)`
  )
  const [first = "", second] = texts
  if (second !== undefined) {
    const at = [...first].findIndex((letter, index) => letter !== second[index])
    for (const text of [first, second]) console.log(`  …${text.slice(Math.max(0, at - 200), at + 200)}…`)
  }
  return texts.length <= 1
}

const isPlain = times === 0 || (await plain())
const isRendering = await rendering()
process.exit(isPlain && isRendering ? 0 : 1)
