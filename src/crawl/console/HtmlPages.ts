import type { CrawlResult } from "../report/CrawlResult.ts"
import type { MeasuredPage } from "../report/MeasuredPage.ts"
import { HealthState } from "../report/States.ts"
import { html, link, Markup } from "./Markup.ts"
import { safe } from "./Text.ts"
import { reasonWords } from "./Wording.ts"

/** Shows the rows that hold what is typed; without it the table is whole and the filter hidden. */
const script = `(()=>{const[f,q,s,n]=["filter","q","s","n"].map(i=>document.getElementById(i)),r=[...document.querySelectorAll("#pages tbody tr")];const show=()=>{const t=q.value.toLowerCase();let c=0;for(const e of r){const ok=(!s.value||e.className===s.value)&&e.textContent.toLowerCase().includes(t);e.hidden=!ok;c+=ok}n.textContent=c+" of "+r.length};q.addEventListener("input",show);s.addEventListener("change",show);f.hidden=false;show()})()`

/** The one script that the page's policy allows, by its hash (Content Security Policy 3 §2.3.1). */
export const scriptHash = "sha256-GlSI8FoVun5aiWDcJSgk/Qp8gaUV5yKd6sVNDRcKZWU="

const words = (state: string): string => state.replaceAll("_", " ")

const row = (page: MeasuredPage): Markup =>
  html`<tr class="${page.health_state}"><td class="n">${page.http_status}</td><td class="u">${link(page.url)}<br><small>${safe(page.title ?? "")}</small></td><td>${reasonWords[page.health_reason]}</td><td>${words(page.indexability_state)}</td><td class="n" data-is="clicks">${page.depth}</td><td class="n" data-is="linked from">${page.linked_from_count}</td><td class="n" data-is="ms">${page.response_ms === null ? null : Math.round(page.response_ms)}</td></tr>`

const filter = html`<div id="filter" hidden><label>Filter <input id="q" type="search"></label><label>State <select id="s"><option value="">all</option>${HealthState.literals.map((state) => html`<option>${state}</option>`)}</select></label><span id="n" class="quiet"></span></div>`

/** Every URL of the run, with a filter by words and by state. */
export function* pageTable({ pages }: CrawlResult) {
  yield html`<h2>Pages</h2>${filter}<table id="pages"><thead><tr><th class="n">Status</th><th>URL</th><th>Health</th><th>Indexability</th><th class="n">Clicks</th><th class="n">Linked from</th><th class="n">ms</th></tr></thead><tbody>`
  for (const page of pages) yield row(page)
  yield html`</tbody></table><script>${new Markup(script)}</script>`
}
