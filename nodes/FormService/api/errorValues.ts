/** What Excel, Google Sheets and LibreOffice write for a formula that failed, in several languages. */
const SHEET_ERROR =
	/^(#(N\/[ABD]|NV|GETTING_DATA|#+|[¡¿]?(REF|BEZUG|RIF|VALUE|WERT|VALEUR|VALOR|VALORE|NAME|NOM|NOME|NOMBRE|NUM|ZAHL|NULL|NULO|ERROR|SPILL|ÜBERLAUF|CALC|KALK|FIELD|FELD|BLOCKED|CONNECT|BUSY|UNKNOWN|EXTERNAL|TIMEOUT|PYTHON|DIV\/0)[!?])|Err:\d{3}|Loading\.\.\.)$/;

/** What JavaScript writes for a value that is missing or cannot be a text. */
const SCRIPT_ERROR = /^(NaN|undefined|\[undefined\]|Invalid Date|Invalid DateTime|\[object \w+\])$/;

/**
 * Finds the error value in a cell or the result of an expression, such as `#N/A` or `[object Object]`, also in a
 * list. Such a value is a mistake of the source.
 */
export function findErrorValue(value: unknown): string | undefined {
	if (Array.isArray(value)) {
		return value.map(findErrorValue).find((errorValue) => errorValue !== undefined);
	}
	if (typeof value === 'number') return Number.isNaN(value) ? 'NaN' : undefined;
	if (typeof value !== 'string') return undefined;
	const text = value.trim();
	if (SHEET_ERROR.test(text) || SCRIPT_ERROR.test(text)) return text;
	// an expression can have a text around an object
	return text.includes('[object Object]') ? '[object Object]' : undefined;
}
