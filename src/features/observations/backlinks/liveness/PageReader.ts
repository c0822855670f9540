/** Platform adapter: the program of the process that reads linking pages, found by the place of this one. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Child from "../../../../foundation/process/Child.ts"
import * as Questions from "../../../../foundation/process/Questions.ts"
import { shortLived } from "../../../../foundation/terminal/ShortLived.ts"
import * as LinkingPage from "./LinkingPage.ts"

/** Reads linking pages and the robots.txt files of their hosts: a port, because the process that answers requests must not pay for a hostile file. */
export class PageReader extends Context.Tag("backlinks/PageReader")<
  PageReader,
  {
    /** What a page says; it is too large for us when it cannot be read within a usual page's memory and time. */
    readonly read: (page: LinkingPage.Page) => Effect.Effect<LinkingPage.Found>
    /** What a robots.txt file says of a page; it keeps us from all pages when it cannot be read within memory and time. */
    readonly rules: (file: LinkingPage.Robots) => Effect.Effect<LinkingPage.Rules>
  }
>() {}

const script = new URL("child/main.ts", import.meta.url)

/** Bytes that reading a page may take: three times as much as the costliest pages. */
const memory = 512 * 2 ** 20

const tooLarge = { doubt: "too_large", link: null, next: null }
const nothingAllowed = { allowed: false, crawlDelay: null }

/** Reads pages in a process of its own. */
export const layer = Layer.scoped(
  PageReader,
  Effect.gen(function* () {
    const environment = { ...shortLived, ...(yield* Child.inherited([])) }
    const ask = yield* Questions.make(
      { answer: LinkingPage.Answer, question: LinkingPage.Question },
      { deadline: "5 minutes", environment, memory, script }
    )
    return PageReader.of({
      read: (page) =>
        ask(page).pipe(
          Effect.filterOrFail((answer) => "link" in answer),
          Effect.orElseSucceed(() => tooLarge)
        ),
      rules: (file) =>
        ask(file).pipe(
          Effect.filterOrFail((answer) => "allowed" in answer),
          Effect.orElseSucceed(() => nothingAllowed)
        )
    })
  })
)
