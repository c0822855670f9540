const phrases =
  /(?:page|file|site|article|product|document|url|content) (?:(?:was|is|could|can) ?)?(?:not|n['’]t|['’]t)(?: be)? found|not found|nothing (?:was |has been )?found (?:here|at )|(?:could ?n['’]t|could not|can ?not|can['’]t) find (?:the|that|this|what|your)|(?:does not|doesn['’]t|do not) exist|no longer (?:available|exists)|(?:page|produit|article) (?:introuvable|non trouvée?)|nicht gefunden|existiert nicht|no (?:se )?(?:ha )?encontrad[ao]|no existe|não (?:foi )?encontrad[ao]|non trovat[ao]|niet gevonden|ikke funnet|ikke fundet|hittades inte|ei löydy|nie znaleziono|nenalezen[ao]|не найден[ао]?|не існує|bulunamadı|見つかりません|找不到|不存在|찾을 수 없/iu

/** The number alone names many things, a car among them: it must stand as a status, or for the whole title. */
const status =
  /(?:error|http|status|code|fehler|erreur)\W{0,3}404\b|\b404\W{0,3}(?:error|fehler|page)|^\W*404\W*(?:[|·–—-].*)?$/iu

/** Whether a text says that what it stands for was not found. */
export const saysNotFound = (text: string): boolean => phrases.test(text) || status.test(text)

const proof = /^(?:google-site-verification: google[0-9a-f]+\.html|Verification: [0-9a-f]+)$/

/** Whether a text is nothing but a proof of ownership for a search engine (Google, Yandex): such a file is served as HTML and is no page. */
export const provesOwnership = (text: string): boolean => proof.test(text)
