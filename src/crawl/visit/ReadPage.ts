import { contentType } from "../page/ContentType.ts"
import type { HeaderLines } from "../page/HeaderFacts.ts"
import * as Page from "../page/Page.ts"
import type { PageFacts } from "../page/PageFacts.ts"

/** What an HTML answer says, whatever its bytes. */
export const readPage = (url: URL, headers: HeaderLines, bytes: Uint8Array): PageFacts =>
  Page.readPage({ url: url.href, bytes, charset: contentType(headers, bytes).charset })
