import type { Guidance, GuidanceTable } from "./Guidance.ts"

/** Documentation of an axe rule; Lighthouse names its accessibility audits after the rules. */
export const axeDocs = (rule: string): string => `https://dequeuniversity.com/rules/axe/4.13/${rule}`

/** Guidance for controls without a name for assistive technology. */
export const nameless = (rule: string, what: string, how: string): Guidance => ({
  summary: `${what} have no accessible name`,
  why: "Screen readers announce them by their type only, so people who cannot see the page do not know what they are for.",
  goal: `Give the listed ${what.toLowerCase()} a name that says what they are for`,
  steps: [
    "Find the component or template that renders each listed element; fix shared components once.",
    how,
    "Translate the name like every other text, and keep a visible label part of the name."
  ],
  docs: axeDocs(rule)
})

/** Guidance for ARIA that contradicts the specification. */
export const wrongAria = (rule: string, summary: string, goal: string, how: string): Guidance => ({
  summary,
  why: "Assistive technology ignores or misreads wrong ARIA, and then presents the element as something that it is not.",
  goal,
  steps: [
    "Find the component or template that renders each listed element.",
    how,
    "Prefer a native HTML element with the same meaning: it needs no ARIA."
  ],
  docs: axeDocs(rule)
})

/** Guidance for one rule about the structure or the use of a page. */
const structure = (
  rule: string,
  summary: string,
  why: string,
  goal: string,
  ...steps: Guidance["steps"]
): Guidance => ({
  summary,
  why,
  goal,
  steps,
  docs: axeDocs(rule)
})

/** The effect of a wrong structure. */
const lostStructure = "Screen readers present content by its structure; where that is wrong, people lose the overview."

/** First step of most fixes. */
const findElements = "Find the component or template that renders each listed element."

/** Language, contrast, landmarks, keyboard and zoom. */
export const accessibilityPage: GuidanceTable = {
  "color-contrast": structure(
    "color-contrast",
    "Text has too little contrast",
    "People with poor sight, or in sunlight, cannot read it.",
    "Give the listed texts a contrast of at least 4.5:1 (3:1 from 24 px, or 18.66 px bold)",
    "Find the colours of the listed elements: design tokens or variables first, single declarations last.",
    "Darken or lighten the text or its background just far enough; check hover, focus and dark mode as well.",
    "Change the token where several issues share it, and check its other uses."
  ),
  "html-has-lang": structure(
    "html-has-lang",
    "The page does not declare its language",
    "Screen readers read it with the wrong pronunciation, and browsers cannot offer a translation reliably.",
    "Declare the language of the page",
    "Find the base template that writes the html element.",
    "Set its lang attribute to the BCP 47 code of the content, from the active locale where the site has several."
  ),
  "html-lang-valid": structure(
    "html-lang-valid",
    "The declared language is not valid",
    "Screen readers fall back to a wrong pronunciation.",
    "Declare a valid language",
    "Find what writes the lang attribute of the html element.",
    "Write a BCP 47 code such as en or de-CH: hyphen, no underscore, no encoding suffix."
  ),
  "html-xml-lang-mismatch": structure(
    "html-xml-lang-mismatch",
    "The attributes lang and xml:lang differ",
    lostStructure,
    "Let lang and xml:lang agree",
    "Find the html element in the base template.",
    "Remove xml:lang, or give both the same value."
  ),
  "valid-lang": structure(
    "valid-lang",
    "Parts of the page declare invalid languages",
    "Screen readers pronounce these parts wrongly.",
    "Declare valid languages on the listed elements",
    findElements,
    "Write a BCP 47 code such as en or de-CH."
  ),
  "landmark-one-main": structure(
    "landmark-one-main",
    "The page has no main landmark",
    "People who use a screen reader cannot jump to the content.",
    "Mark the main content with exactly one main element",
    "Find the layout that surrounds the content of every page.",
    "Turn the element around the content into main; leave header, navigation and footer outside.",
    "Make sure that nested layouts do not add a second one."
  ),
  bypass: structure(
    "bypass",
    "The page offers no way to skip the navigation",
    "Keyboard users have to step through every link on each page.",
    "Let people jump to the content",
    "Add a link to the main content as the first element of the layout, visible on focus.",
    "Mark the content with a main element and sections with headings."
  ),
  "skip-link": structure(
    "skip-link",
    "The skip link leads nowhere",
    "Keyboard users cannot jump to the content.",
    "Let the skip link reach the content",
    "Find the skip link in the layout.",
    "Point it to an existing id and give the target tabindex=-1."
  ),
  tabindex: structure(
    "tabindex",
    "The tab order is set by hand",
    "The focus jumps around in an unexpected order.",
    "Let the tab order follow the document",
    findElements,
    "Replace positive tabindex values with 0 or remove them, and order the document as it should be read."
  ),
  "target-size": structure(
    "target-size",
    "Touch targets are too small or too close",
    "People hit the wrong control, above all with impaired motor control.",
    "Make the listed targets at least 24 by 24 CSS pixels, or space them accordingly",
    "Find the styles of the listed controls.",
    "Enlarge the active area with padding or min-width and min-height, or add space between neighbours."
  ),
  "meta-viewport": structure(
    "meta-viewport",
    "The page forbids zooming",
    "People with poor sight cannot enlarge the text.",
    "Allow zooming",
    "Find the viewport meta element of the base template.",
    "Remove user-scalable=no and any maximum-scale below 5."
  ),
  "meta-refresh": structure(
    "meta-refresh",
    "The page reloads or redirects by itself",
    "People who read slowly are interrupted.",
    "Remove the timed refresh",
    "Find the meta refresh element.",
    "Redirect on the server with 301 or 302; update live content by script on request."
  ),
  accesskeys: structure(
    "accesskeys",
    "Access keys are used twice",
    "One of the two controls cannot be reached by its key.",
    "Make the listed access keys unique",
    findElements,
    "Change or remove the repeated accesskey values."
  ),
  "autocomplete-valid": structure(
    "autocomplete-valid",
    "Fields have autocomplete values that are not valid",
    "Browsers cannot fill in the field for people who need that.",
    "Use valid autocomplete values on the listed fields",
    findElements,
    "Use the tokens of the HTML standard, such as name, email or postal-code."
  ),
  "identical-links-same-purpose": structure(
    "identical-links-same-purpose",
    "Links with the same name lead to different places",
    "People who only hear the name cannot distinguish them.",
    "Let the listed names differ, or the targets agree",
    findElements,
    "Name the target in the link text, or correct the URL."
  )
}

/** Headings, lists and tables. */
export const accessibilityStructure: GuidanceTable = {
  "heading-order": structure(
    "heading-order",
    "Heading levels are skipped",
    lostStructure,
    "Let headings descend one level at a time",
    findElements,
    "Choose the level by position in the outline and the size by CSS.",
    "Let shared components take their level as a parameter."
  ),
  list: structure(
    "list",
    "Lists contain elements that are not items",
    lostStructure,
    "Leave only list items in the listed lists",
    findElements,
    "Keep only li (and script or template) in ul and ol, and move everything else into an item."
  ),
  listitem: structure(
    "listitem",
    "List items are outside a list",
    lostStructure,
    "Put the listed items into a list",
    findElements,
    "Wrap the items into ul or ol, or use other elements."
  ),
  "definition-list": structure(
    "definition-list",
    "Definition lists are not well formed",
    lostStructure,
    "Fix the listed definition lists",
    findElements,
    "Keep only dt and dd groups in dl, optionally wrapped in div."
  ),
  dlitem: structure(
    "dlitem",
    "Terms or descriptions are outside a definition list",
    lostStructure,
    "Put the listed elements into a dl",
    findElements,
    "Wrap dt and dd into dl, or use other elements."
  ),
  "td-headers-attr": structure(
    "td-headers-attr",
    "Table cells refer to missing headers",
    lostStructure,
    "Fix the headers attributes of the listed cells",
    findElements,
    "Point headers to ids of th cells in the same table, or use scope instead."
  ),
  "th-has-data-cells": structure(
    "th-has-data-cells",
    "Table headers have no cells",
    lostStructure,
    "Connect headers and cells",
    findElements,
    "Add scope=col or scope=row to th cells, and use td where a cell is no header."
  ),
  "td-has-header": structure(
    "td-has-header",
    "Cells of large tables have no headers",
    lostStructure,
    "Give the listed cells headers",
    findElements,
    "Mark the header row and column with th and scope."
  ),
  "table-duplicate-name": structure(
    "table-duplicate-name",
    "Tables have the same caption and summary",
    lostStructure,
    "Let caption and summary differ",
    findElements,
    "Keep the name in caption and remove summary."
  ),
  "table-fake-caption": structure(
    "table-fake-caption",
    "Tables fake a caption with a cell",
    lostStructure,
    "Use a caption element",
    findElements,
    "Move the text of the spanning first cell into a caption element."
  )
}
