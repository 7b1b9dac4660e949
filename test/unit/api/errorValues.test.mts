import { expect, it } from 'vitest';
import { findErrorValue } from '../../../nodes/FormService/api/errorValues.ts';

it.each([
	['English', '#N/A #REF! #VALUE! #NAME? #NUM! #NULL! #DIV/0! #SPILL! #ERROR! #GETTING_DATA ####'],
	['Czech', '#NENÍ_K_DISPOZICI #ODKAZ! #HODNOTA! #NÁZEV? #ČÍSLO!'],
	['Danish and Norwegian', '#I/T #REFERENCE! #VÆRDI! #NAVN? #VERDI!'],
	['Dutch', '#N/B #VERW! #WAARDE! #NAAM? #GETAL! #DEEL/0!'],
	['Finnish', '#PUUTTUU! #VIITTAUS! #ARVO! #NIMI? #JAKO/0!'],
	['French', '#N/A #VALEUR! #NOM? #NOMBRE! #PROPAGATION!'],
	['German', '#NV #BEZUG! #WERT! #ZAHL! #ÜBERLAUF!'],
	['Greek', '#Δ/Υ #ΑΝΑΦ! #ΤΙΜΗ! #ΟΝΟΜΑ?'],
	['Hungarian', '#HIÁNYZIK #HIV! #ÉRTÉK! #NÉV? #ZÉRÓOSZTÓ!'],
	['Italian', '#N/D #RIF! #VALORE! #NOME?'],
	['Polish', '#N/D! #ADR! #ARG! #NAZWA? #LICZBA! #DZIEL/0! #BŁĄD #BŁĄD!'],
	['Portuguese', '#N/D #VALOR! #NOME? #NÚM!'],
	['Russian', '#Н/Д #ССЫЛКА! #ЗНАЧ! #ИМЯ? #ЧИСЛО! #ДЕЛ/0!'],
	['Spanish', '#N/D #¡REF! #¡VALOR! #¿NOMBRE? #¡DIV/0!'],
	['Swedish', '#SAKNAS! #REFERENS! #VÄRDEFEL! #NAMN? #DIVISION/0!'],
	['Turkish', '#YOK #BAŞV! #DEĞER! #AD? #SAYI/0!'],
	['Ukrainian', "#ПОСИЛАННЯ! #ЗНАЧЕННЯ! #ІМ'Я? #ДІЛ/0!"],
	['LibreOffice', 'Err:502 #NAME?'],
	['JavaScript', 'NaN undefined Infinity -Infinity [undefined]'],
])('The error values of %s are %s', (_, errorValues) => {
	for (const text of errorValues.split(' ')) {
		// macOS and some services write an accent as a character after its letter
		for (const spelling of [text, ` ${text}\n`, text.normalize('NFD')])
			expect(findErrorValue(spelling), spelling).toBe(spelling.trim());
	}
});

it.each([NaN, Infinity, -Infinity])('The number %s is an error value', (number) => {
	expect(findErrorValue(['A', number])).toBe(String(number));
});

it.each([
	'#SALE!',
	'#ARG',
	'#WERT',
	'#LOVE?',
	'#1!',
	'#',
	'REF!',
	'Number #1',
	'∞',
	'see #REF!',
	5,
])('%j is an answer', (value) => {
	expect(findErrorValue(value)).toBeUndefined();
});
