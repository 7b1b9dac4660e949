/**
 * The words in the error values of spreadsheets. A word is between "#" and "!" or "?": `#REF!`, `#¿NOMBRE?`.
 * If the word is not in this table, the value is an answer, such as the hashtag `#SALE!`.
 */
const WORDS_BY_LANGUAGE = {
	english:
		'BLOCKED BUSY CALC CONNECT CYCLE DIV/0 ERROR EXTERNAL FIELD NAME NULL NUM PYTHON REF SPILL TIMEOUT UNKNOWN VALUE',
	czech: 'DĚLENÍ_NULOU HODNOTA NÁZEV ODKAZ PRESAH PŘESAH ČÍSLO',
	danish: 'BEREGN DIVISION/0 NAVN NUL NUMMER OVERLØB REFERENCE VÆRDI',
	dutch: 'DEEL/0 DELING.DOOR.0 GETAL LEEG NAAM OVERLOOP OVERLOPEN VERW WAARDE',
	finnish: 'ARVO JAKO/0 LEVITTYMINEN LUKU NIMI PUUTTUU TYHJÄ VIITTAUS',
	french: 'CHAMP EPARS NOM NOMBRE NUL PROPAGATION VALEUR',
	german: 'BEZUG FELD KALK WERT ZAHL ÜBERLAUF',
	greek: 'ΑΝΑΦ ΑΡΙΘ ΔΙΑΙΡ/0 ΚΕΝΟ ΟΝΟΜΑ ΤΙΜΗ',
	hungarian: 'HIV KIBONTÁS NULLA NÉV SZÁM ZÉRÓOSZTÓ ÉRTÉK',
	italian: 'CAMPO ESPANSIONE NOME NULLO RIF VALORE',
	norwegian: 'NAVN OVERFLYT VERDI',
	polish: 'ADR ARG BŁĄD CYKL DZIEL/0 LICZBA NAZWA OBL POLE ROZLANIE ZERO',
	portuguese: 'DESPEJAR NULO NÚM TRANSPOSIÇÃO VALOR',
	russian: 'ВЫЧИС ДЕЛ/0 ЗНАЧ ИМЯ ОШИБКА ПЕРЕНОС ПОЛЕ ПУСТО ССЫЛ ССЫЛКА ЧИСЛО',
	slovak: 'DELENIENULOU HODNOTA NÁZOV ODKAZ',
	spanish: 'CAMPO DESBORDAMIENTO NOMBRE NULO VALOR',
	swedish: 'DIVISION/0 NAMN OGILTIGT REFERENS SAKNAS SKÄRNING VÄRDEFEL',
	turkish: 'AD BAŞV BOŞ DEĞER SAYI SAYI/0 TAŞMA',
	ukrainian: "ДІЛ/0 ЗНАЧЕННЯ ІМ'Я ПОСИЛАННЯ ПУСТО ЧИСЛО",
};

const ERROR_WORDS = new Set(Object.values(WORDS_BY_LANGUAGE).flatMap((words) => words.split(' ')));

/** Error values that end without "!" or "?", written without their "#": `N/A` for `#N/A`. */
const WORDS_WITHOUT_MARK = new Set(
	'BŁĄD GETTING_DATA HIÁNYZIK I/T N/A N/B N/D N/V NEDOSTUPNÝ NENÍ_K_DISPOZICI NV YOK Δ/Υ Н/Д'.split(
		' ',
	),
);

/**
 * Matches "####", which spreadsheets show if a column is too narrow. Also matches "Err:502" of LibreOffice
 * and "Loading..." of Google Sheets.
 */
const OTHER_SHEET_ERROR = /^(##+|Err:\d{3}|Loading\.\.\.)$/;

/**
 * Matches the strings that JavaScript creates from missing values, objects and invalid numbers: "undefined",
 * "[object Object]", "NaN".
 */
const SCRIPT_ERROR =
	/^(NaN|-?Infinity|undefined|\[undefined\]|Invalid Date|Invalid DateTime|\[object \w+\])$/;

/**
 * Finds an error value, such as `#N/A` or `[object Object]`, in a cell, in the result of an expression, or in a
 * list. The node does not send an error value, because the source of the data has a mistake.
 */
export function findErrorValue(value: unknown): string | undefined {
	if (Array.isArray(value)) {
		return value.map(findErrorValue).find((errorValue) => errorValue !== undefined);
	}
	if (typeof value === 'number') return Number.isFinite(value) ? undefined : String(value);
	if (typeof value !== 'string') return undefined;
	const text = value.trim();
	if (isSheetError(text) || SCRIPT_ERROR.test(text)) return text;
	// an expression can put an object in the middle of a sentence
	return text.includes('[object Object]') ? '[object Object]' : undefined;
}

function isSheetError(text: string): boolean {
	const [, word = '', mark] = /^#[¡¿]?(.+?)([!?]?)$/.exec(text.normalize('NFC')) ?? [];
	const isMarked = mark !== '' && ERROR_WORDS.has(word);
	return isMarked || WORDS_WITHOUT_MARK.has(word) || OTHER_SHEET_ERROR.test(text);
}
