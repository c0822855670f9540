/** Platform adapter: the program of the process that reads linking pages, found by the place of this one. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Child from "../../../../foundation/process/Child.ts"
import * as Questions from "../../../../foundation/process/Questions.ts"
import { shortLived } from "../../../../foundation/terminal/ShortLived.ts"
import * as LinkingPage from "./LinkingPage.ts"

/** Reads linking pages: a port, because the process that answers requests must not pay for a hostile page. */
export class PageReader extends Context.Tag("backlinks/PageReader")<
  PageReader,
  {
    /** What a page says; it is too large for us when it cannot be read within a usual page's memory and time. */
    readonly read: (page: LinkingPage.Question) => Effect.Effect<LinkingPage.Answer>
  }
>() {}

const script = new URL("child/main.ts", import.meta.url)

/** Bytes that reading a page may take: three times as much as the costliest pages. */
const memory = 512 * 2 ** 20

const tooLarge: LinkingPage.Answer = { doubt: "too_large", link: null, next: null }

/** Reads pages in a process of its own. */
export const layer = Layer.scoped(
  PageReader,
  Effect.gen(function* () {
    const environment = { ...shortLived, ...(yield* Child.inherited([])) }
    const ask = yield* Questions.make(
      { answer: LinkingPage.Answer, question: LinkingPage.Question },
      { deadline: "5 minutes", environment, memory, script }
    )
    return PageReader.of({ read: (page) => Effect.orElseSucceed(ask(page), () => tooLarge) })
  })
)
