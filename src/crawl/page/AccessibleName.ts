import { each, type Steps } from "../../foundation/schema/Steps.ts"
import type { PagePlace } from "../report/Finding.ts"
import { type DomElement, type DomNode, isElement, isText } from "./Dom.ts"
import { collapse, keep } from "./Text.ts"
import { walk } from "./Walk.ts"

/** Maximum nodes visited for one name, and their maximum depth: names are short, and pages nest deeper than stacks. */
const maxNodes = 1000
const maxDepth = 64
const maxName = 300
/** Characters of an attribute to search for a name, a role or a style: an attribute may be as long as a page, and each link may refer to it. */
const maxWritten = 8 * maxName
const maxStyle = 65_536

/** The content of a noscript is absent for users whose browser runs scripts. */
const silent = new Set(["script", "style", "template", "noscript"])
const inline = new Set(
  "a abbr b bdi bdo big cite code em font i img kbd label mark q s samp small span strong sub sup time u var wbr svg".split(
    " "
  )
)

/** Whether `aria-hidden` or `hidden` hides an element and its content from the accessibility tree. */
export const isHidden = (element: DomElement): boolean =>
  element.getAttribute("aria-hidden")?.slice(0, maxWritten).trim().toLowerCase() === "true" ||
  element.hasAttribute("hidden")

/** Whether an element is not displayed as it is sent; a script may show it later. */
export const isUndisplayed = (element: DomElement): boolean =>
  /(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden)\b/i.test(
    (element.getAttribute("style") ?? "").slice(0, maxStyle)
  )

/** Pronounceable characters: spaces and the private characters of icon fonts are not. */
const sayable = /[\p{L}\p{N}\p{P}\p{S}]/u
/** Private characters, with which icon fonts draw icons. */
const signs = /\p{Co}+/gu

/** The first role of an element, lower-cased; empty without one. */
export const roleOf = (element: DomElement): string =>
  (element.getAttribute("role") ?? "").slice(0, maxWritten).trim().toLowerCase().split(/\s+/, 1)[0] ?? ""

/** Whether the element's role removes its own meaning. */
export const isPresentational = (element: DomElement): boolean => /^(?:none|presentation)$/.test(roleOf(element))

const written = (element: DomElement, attribute: string): string =>
  collapse((element.getAttribute(attribute) ?? "").slice(0, maxWritten))

/** The text of an element that labels others. */
interface Label {
  readonly text: string
  /** Nodes visited for the text, and the limit of the visit. */
  readonly nodes: number
  readonly room: number
  /** Whether the limit sufficed for the whole text. */
  readonly isWhole: boolean
}

/** Computes the accessible names of one document (W3C Accessible Name and Description Computation 1.2, §4.3). */
export class AccessibleNames {
  private ids: Map<string, DomElement> | null = null
  private left = 0
  /** Texts of labelling elements, because each link of a page may refer to one label. */
  private readonly labelling = new Map<DomElement, Label>()
  /** Nodes visited for all names so far. */
  private looked = 0

  constructor(private readonly root: DomElement) {}

  /** The element's name for assistive technology; empty when it has none. */
  of(element: DomElement): string {
    this.left = maxNodes
    const name = keep(collapse(this.compute(element, 0, false)), maxName)
    this.looked += maxNodes - this.left
    return sayable.test(name) ? name : ""
  }

  /** Acts on elements with names, one step per node visited: a page can give a thousand nodes to each of many names. */
  *each<A>(elements: Iterable<A>, act: (element: A) => void): Steps<void> {
    yield* each(elements, (element) => {
      const before = this.looked
      act(element)
      return 1 + this.looked - before
    })
  }

  private byId(id: string): DomElement | undefined {
    if (this.ids === null) {
      const ids = new Map<string, DomElement>()
      const enter = (element: DomElement) => {
        const own = element.getAttribute("id")
        if (own !== null && !ids.has(own)) ids.set(own, element)
      }
      walk(this.root, { enter, leave: () => undefined, text: () => undefined })
      this.ids = ids
    }
    return this.ids.get(id)
  }

  private compute(element: DomElement, depth: number, isReferenced: boolean): string {
    if (this.left <= 0) return ""
    this.left -= 1 + ((element.getAttribute("style")?.length ?? 0) >> 10)
    if (depth > maxDepth || silent.has(element.localName)) return ""
    if (!isReferenced && (isHidden(element) || (depth > 0 && isUndisplayed(element)))) return ""
    const labels = isReferenced ? "" : this.labels(element, depth)
    if (labels !== "") return labels
    const label = written(element, "aria-label")
    if (sayable.test(label)) return label
    if (element.localName === "img" && isPresentational(element)) return ""
    const own = (ownText(element) ?? this.content(element, depth)).replace(signs, "")
    // The tooltip names an icon.
    return collapse(own) === "" ? written(element, "title") : own
  }

  private labels(element: DomElement, depth: number): string {
    const ids = element.getAttribute("aria-labelledby")?.slice(0, maxWritten).split(/\s+/, 20) ?? []
    const texts = ids.flatMap((id) => {
      const found = id === "" ? undefined : this.byId(id)
      return found === undefined ? [] : [this.label(found, depth)]
    })
    return texts.filter((text) => text !== "").join(" ")
  }

  private label(element: DomElement, depth: number): string {
    const known = depth === 0 ? this.labelling.get(element) : undefined
    if (known !== undefined && (known.room === this.left || (known.isWhole && known.nodes <= this.left))) {
      this.left -= known.nodes
      return known.text
    }
    const room = this.left
    const text = collapse(this.compute(element, depth + 1, true))
    if (depth === 0) this.labelling.set(element, { text, nodes: room - this.left, room, isWhole: this.left > 0 })
    return text
  }

  private content(element: DomElement, depth: number): string {
    let text = ""
    for (let child: DomNode | null = element.firstChild; child !== null && this.left > 0; child = child.nextSibling) {
      if (isText(child)) {
        this.left--
        text += child.data.slice(0, maxName * 4)
      } else if (isElement(child)) {
        const gap = inline.has(child.localName) ? "" : " "
        text += gap + this.compute(child, depth + 1, false) + gap
      }
      if (text.length > maxName * 8) break
    }
    return text
  }
}

/** An attribute that names the element in place of content; null when its content names it. */
const ownText = (element: DomElement): string | null => {
  const name = element.localName
  if (name === "img" || name === "area") return written(element, "alt")
  if (name === "input")
    return written(element, element.getAttribute("type")?.toLowerCase() === "image" ? "alt" : "value")
  return name === "iframe" ? "" : null
}

/** Open elements of each kind at a place of the walk. */
type Open = Readonly<Record<"footer" | "head" | "header" | "nav" | "section", number>>

/** The landmark roles that matter here. */
const landmarkRoles = { banner: "header", contentinfo: "footer", navigation: "nav" } as const
type Landmark = (typeof landmarkRoles)[keyof typeof landmarkRoles]

/**
 * The landmark of an element's role, or of its name if it is a page header or footer; null for none. A header of a section is no landmark (HTML-AAM 1.0
 * §3.5).
 */
export const landmarkOf = (element: DomElement, hasAttributes: boolean, { section }: Open): Landmark | null => {
  const role = hasAttributes && element.hasAttribute("role") ? roleOf(element) : ""
  if (role === "banner" || role === "contentinfo" || role === "navigation") return landmarkRoles[role]
  const name = element.localName
  return role === "" && section === 0 && (name === "header" || name === "footer") ? name : null
}

/** The part of the page at a place of the walk: navigation in a header is navigation. */
export const placeOf = ({ footer, head, header, nav }: Open): PagePlace =>
  head > 0 ? "head" : nav > 0 ? "nav" : footer > 0 ? "footer" : header > 0 ? "header" : "main"

/** Roles of controls. */
const operated = new Set(
  "button checkbox combobox menuitem menuitemcheckbox menuitemradio option radio switch tab".split(" ")
)
const states = [
  "aria-expanded",
  "aria-controls",
  "aria-haspopup",
  "aria-pressed",
  "data-toggle",
  "data-bs-toggle",
  "data-dismiss",
  "data-bs-dismiss",
  "data-clipboard-text",
  "data-clipboard-target"
]

/** A script that does nothing, and one that only scrolls, moves in the history, or shows and hides parts of the page. */
const idle = /^\s*javascript:\s*(?:void\s*(?:\(.*\)|0)|undefined|null|false|return false|\/\/.*|#)?\s*;*\s*$/i
const local =
  /^\s*javascript:\s*(?:window\.|self\.)?(?:history\.\w+|print|close|scroll\w*|focus|(?:\w+\.)*(?:toggle|hide|expand|collapse|copy|show(?=tab|menu|modal|popup|dialog|hide|less|all))\w*|document\.forms\b.*submit)\b/i
const leads = /\blocation(?:\.href)?\s*=(?!=)|\blocation\.(?:assign|replace)\b|window\.open|navigate/i

/** Words in the names of controls that open, close or switch something. */
const called =
  /toggl|menu|nav|burger|collaps|expand|drop-?down|accordion|\btabs?\b|modal|dialog|popup|clos|open|show|hide|\bmore\b|\bless\b|print|\btop\b|copy|share|search|theme|\bdark\b|\blight\b|switch|sidebar|cookie|consent|settings|preferences|[×✕☰]/i

/** Such words in other languages, whole words where spaces separate words; without short words that are names or parts of names elsewhere. */
const calledElsewhere = new RegExp(
  `(?<!\\p{L})(?:${[
    "nabídka|zavřít|otevřít|zobrazit|skrýt|více|méně|vytisknout|nahoru|kopírovat|sdílet|hledat|nastavení",
    "åbn|skjul|se mere|mindre|udskriv|kopiér|kopier|søg|indstillinger",
    "menü|umschalten|schließen|schliessen|öffnen|anzeigen|einblenden|ausblenden|ausklappen|einklappen|mehr|weniger|drucken|nach oben|kopieren|teilen|suche|suchen|dunkel|einstellungen",
    "menú|cerrar|abrir|mostrar|ocultar|ver más|ver menos|imprimir|arriba|copiar|compartir|buscar|ajustes|preferencias|configuración",
    "valikko|sulje|avaa|näytä|piilota|vähemmän|tulosta|kopioi|haku|asetukset",
    "fermer|ouvrir|afficher|masquer|voir plus|voir moins|imprimer|haut de page|copier|partager|rechercher|recherche|paramètres|préférences",
    "bezárás|megnyitás|elrejt|több|kevesebb|nyomtatás|másolás|megosztás|keresés|beállítások",
    "chiudi|apri|mostra|nascondi|mostra altro|stampa|torna su|copia|condividi|cerca|impostazioni|preferenze",
    "lukk|åpne|vis mer|vis mindre|skriv ut|søk|innstillinger",
    "sluiten|openen|tonen|verbergen|meer|minder|afdrukken|naar boven|kopiëren|delen|zoeken|instellingen",
    "zamknij|otwórz|pokaż|ukryj|więcej|mniej|drukuj|do góry|kopiuj|udostępnij|szukaj|ustawienia",
    "fechar|ver mais|ver menos|compartilhar|partilhar|pesquisar|configurações|definições|preferências",
    "meniu|închide|deschide|arată|ascunde|mai mult|mai puțin|tipărește|copiază|distribuie|caută|setări",
    "меню|закрыть|открыть|показать|скрыть|ещё|меньше|печать|наверх|копировать|поделиться|поиск|настройки",
    "meny|stäng|öppna|dölj|visa mer|visa mindre|kopiera|sök|inställningar",
    "kapat|göster|gizle|daha fazla|daha az|yazdır|kopyala|paylaş|ayarlar",
    "закрити|відкрити|показати|сховати|більше|менше|друк|вгору|копіювати|поділитися|пошук|налаштування"
  ].join("|")})(?!\\p{L})|${[
    "メニュー|閉じる|開く|表示|隠す|もっと見る|印刷|トップへ|コピー|共有|検索|設定",
    "메뉴|닫기|열기|더 ?보기|접기|인쇄|복사|공유|검색|설정",
    "菜单|選單|关闭|關閉|打开|開啟|展开|展開|收起|更多|打印|列印|复制|複製|分享|搜索|搜尋|设置"
  ].join("|")}`,
  "iu"
)

/** Whether the words open the list of links after them, so no page could be behind them. */
const headsList = (element: DomElement): boolean => {
  for (let next = element.nextSibling; next !== null; next = next.nextSibling) {
    if (isElement(next)) return next.localName === "ul" || next.localName === "ol"
  }
  return false
}

/**
 * Whether a link with a script in place of a URL opens or closes something on its page: it has the role or a state of a control, its script only moves around
 * the page, or its script does nothing and the link has no name, a control's name, or a list after it.
 */
export const isToggle = (element: DomElement, address: string, name: string): boolean => {
  // The patterns allow any number of blanks in several places: a script of blanks alone would need exponential backtracking.
  const reference = address.replace(/\s+/g, " ")
  if (leads.test(reference)) return false
  if (operated.has(roleOf(element)) || states.some((state) => element.hasAttribute(state)) || local.test(reference))
    return true
  const onClick = element.getAttribute("onclick") ?? ""
  if (!idle.test(reference) || leads.test(onClick) || /submit\(/i.test(onClick)) return false
  // A link without a name shows no sign of a target.
  if (name === "") return true
  const words = [name, written(element, "id"), written(element, "title")]
  return words.some((text) => called.test(text) || calledElsewhere.test(text)) || headsList(element)
}
